import { Copy } from '../../../ui/control/copy.js';
import { developerTexts } from '../texts.js';

const words = developerTexts.code;

type Props = {
  readonly text: string;
  /** Text of the button. In the reference it is the language of the text. */
  readonly language: string;
  /** What the button copies, for screen readers. @default the code */
  readonly label?: string;
};

/** A program, a command or a query, with a button that copies it. */
export function CodeBlock({ text, language, label = words.copy }: Props) {
  return (
    <div class="code-block">
      <Copy text={text} label={label} tip={words.tip}>
        {language}
      </Copy>
      <pre class="code" tabIndex={0}>
        {text}
      </pre>
    </div>
  );
}
