export { fileJournal } from './signing/file-journal.js';
