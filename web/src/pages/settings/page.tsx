import { useApp } from '../../app-context.js';
import type { PageProps } from '../../router.js';
import { texts } from '../../texts.js';
import { Card } from '../../ui/card.js';
import { Choices } from '../../ui/control/choices.js';
import { useSettled } from '../../ui/page-head.js';
import { PageTitle } from '../../ui/page-title.js';
import { KeyCard } from './key-card.js';
import { settingsTexts } from './texts.js';
import './settings.css';

const words = settingsTexts;

/** The page with what the reader sets for this browser: the theme, and the API key of an agent for as long as the tab is open. */
export default function SettingsPage(_: PageProps) {
  const { theme } = useApp();
  useSettled(true);
  return (
    <div class="settings">
      <PageTitle heading={texts.settings.title} lead={words.lead} />
      <div class="stack">
        <KeyCard />
        <Card title={words.theme.title}>
          <div class="body">
            <Choices
              label={words.theme.title}
              options={words.theme.options}
              chosen={theme.choice.value}
              choose={(choice) => {
                theme.choice.value = choice;
              }}
            />
            <p class="small muted">{words.theme.stored}</p>
          </div>
        </Card>
      </div>
    </div>
  );
}
