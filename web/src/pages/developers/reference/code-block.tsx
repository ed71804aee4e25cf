import { texts } from '../../../texts.js';
import { Copy } from '../../../ui/control/copy.js';

/** A program, a command or a query, with a button that copies it. */
export function CodeBlock({ text, language }: { readonly text: string; readonly language: string }) {
  const words = texts.developers.code;
  return (
    <div class="code-block">
      <Copy text={text} label={words.copy} tip={words.tip}>
        {language}
      </Copy>
      <pre class="code" tabIndex={0}>
        {text}
      </pre>
    </div>
  );
}
