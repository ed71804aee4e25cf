import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

type Props = {
  readonly title: string;
  /** Id of the section, to which links such as #trade lead. */
  readonly id?: string;
  /** Level of the heading. @default 2 */
  readonly level?: 2 | 3;
  /** Controls at the end of the title line. */
  readonly actions?: ComponentChildren;
  readonly class?: string;
  readonly children: ComponentChildren;
};

/** A section of a page with a title, on a surface that sets it apart. Screen readers list it as a region. */
export function Card({ title, id, level = 2, actions, class: extra = '', children }: Props) {
  const heading = useId();
  const Heading = `h${level}` as 'h2' | 'h3';
  return (
    <section id={id} class={`card ${extra}`} aria-labelledby={heading}>
      <header>
        <Heading id={heading}>{title}</Heading>
        {actions}
      </header>
      {children}
    </section>
  );
}
