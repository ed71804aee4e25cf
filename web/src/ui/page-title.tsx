type Props = { readonly heading: string; readonly lead: string };

/** The heading of a page, and a sentence about its content. */
export function PageTitle({ heading, lead }: Props) {
  return (
    <div class="page-title">
      <h1>{heading}</h1>
      <p class="muted">{lead}</p>
    </div>
  );
}
