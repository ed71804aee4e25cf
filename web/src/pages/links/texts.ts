/** The words of the page of possibly linked wallets. They load with this page only. */
export const linksTexts = {
  lead: 'Wallets that may have the same owner, by signs that anybody can check. A link is no proof, and changes no points.',
  of: 'Linked with',
  caption: 'Possibly linked wallets and the signs for it',
  heads: ['Wallet', 'Signs'],
  none: 'No wallet is possibly linked with this one.',
  signs: {
    title: 'What the signs mean',
    terms: [
      ['Same destination of fees', 'The contract pays the fees of both agents to the same wallet. This is enough for a link.'],
      [
        'Registered together',
        'At least three agents name the same referrer, and registered one soon after another. Half a link, and a whole one if they hardly traded.',
      ],
      [
        'Same blocks',
        'Both traded in the same block, three times or more, and in a quarter of the blocks of one of them. Half a link.',
      ],
      ['Same trades', 'Of what both traded, 80\u00a0% agrees in market, day and side. Half a link, beside another sign.'],
      ['Each other', 'More than 80\u00a0% of the volume of both is in the tickets of each other. Half a link.'],
      [
        'Named by others',
        'A wallet that others name, to get their fees or as their referrer, is linked with them. It may not be able to help that, so it is linked with nobody else by it.',
      ],
    ],
  },
} as const;
