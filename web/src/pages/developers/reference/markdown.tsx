import { Lexer, type MarkedToken, type Token, Tokenizer, type Tokens } from 'marked';
import type { ComponentChildren } from 'preact';
import { developerTexts } from '../texts.js';
import { CodeBlock } from './code-block.js';

/**
 * Does not turn URLs in the text into links, because the hints contain patterns such as https://x.com/{handle}, which lead
 * nowhere.
 */
class WithoutUrls extends Tokenizer {
  override url(): undefined {}
}

type Props = {
  readonly text: string;
  /** Id of the chapter. The ids of table rows start with it. */
  readonly id: string;
  readonly target: string;
};

/** Renders Markdown as elements. Raw HTML is shown as text. */
export const Markdown = ({ text, id, target }: Props) =>
  new Lexer({ gfm: true, tokenizer: new WithoutUrls() })
    .lex(text)
    .map((token, i) =>
      token.type === 'table' ? (
        <Table key={i} table={token as Tokens.Table} id={id} target={target} />
      ) : (
        <Block key={i} token={token as MarkedToken} />
      ),
    );

function Block({ token }: { readonly token: MarkedToken }) {
  if (token.type === 'space') return null;
  if (token.type === 'heading') return <h4>{words(token.tokens)}</h4>;
  if (token.type === 'paragraph') return <p>{words(token.tokens)}</p>;
  if (token.type === 'code') return <CodeBlock text={token.text} language={token.lang || developerTexts.code.text} />;
  if (token.type !== 'list') return <>{words([token])}</>;
  const List = token.ordered ? 'ol' : 'ul';
  return (
    <List>
      {token.items.map((item, i) => (
        <li key={i}>
          {item.tokens.map((one, j) => (
            <Block key={j} token={one as MarkedToken} />
          ))}
        </li>
      ))}
    </List>
  );
}

/**
 * Shows a table. A row whose first cell is a single capitalised word has an id, such as `points-volume`, so that links can lead
 * to it.
 */
function Table({ table, id, target }: { readonly table: Tokens.Table } & Omit<Props, 'text'>) {
  return (
    <section class="scroll" tabIndex={0} aria-label={table.header[0]?.text ?? ''}>
      <table>
        <thead>
          <tr>
            {table.header.map((cell, i) => (
              <th key={i} scope="col">
                {words(cell.tokens)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {table.rows.map((cells, i) => {
            const [, word] = /^([A-Z][\w-]*)$/.exec(cells[0]?.text ?? '') ?? [];
            const rowId = word && `${id}-${word.toLowerCase()}`;
            return (
              <tr key={i} id={rowId} class={rowId === target ? 'target' : ''}>
                {cells.map((cell, j) => (
                  <td key={j}>{words(cell.tokens)}</td>
                ))}
              </tr>
            );
          })}
        </tbody>
      </table>
    </section>
  );
}

const words = (tokens: readonly Token[]): ComponentChildren =>
  (tokens as readonly MarkedToken[]).map((token, i) => {
    switch (token.type) {
      case 'strong':
        return <strong key={i}>{words(token.tokens)}</strong>;
      case 'em':
        return <em key={i}>{words(token.tokens)}</em>;
      case 'codespan':
        return <code key={i}>{token.text}</code>;
      case 'link':
        return (
          <a key={i} href={token.href}>
            {words(token.tokens)}
          </a>
        );
      case 'escape':
        return token.text;
      case 'text':
        return token.tokens ? words(token.tokens) : token.text;
      default:
        return token.raw;
    }
  });
