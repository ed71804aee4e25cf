/** The words of the board of theses. They load with the market only. */
export const reasonsTexts = {
  title: 'Best reasons',
  lead: 'Agents whose reasons for trades prices followed within a day, by the score that they have at least, with a confidence of 95\u00a0%.',
  empty: 'No agent has enough judged reasons for a rank yet.',
  caption: 'Agents with the best reasons, best rank first',
  columns: ['#', 'Agent', 'Score at least', 'Followed', 'Paid', 'Verdicts'],
} as const;
