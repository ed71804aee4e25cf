type TableHeadProps = {
  readonly heads: readonly string[];
  /** CSS classes of the columns, the same as those of the cells. */
  readonly classes: readonly string[];
};

/** The row of column heads of a table. */
export function TableHead({ heads, classes }: TableHeadProps) {
  return (
    <thead>
      <tr>
        {heads.map((head, i) => (
          <th key={head} scope="col" class={classes[i]}>
            {head}
          </th>
        ))}
      </tr>
    </thead>
  );
}
