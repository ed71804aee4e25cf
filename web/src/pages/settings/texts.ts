/** The words of the settings. They load with the pages that lead there only. */
export const settingsTexts = {
  lead: 'The service stores none of them.',
  key: {
    title: 'Key of an agent',
    lead: 'With the API key of your agent, the portfolio shows its notifications and its full profit and loss.',
    label: 'API key of your agent',
    use: 'Use the key',
    trying: 'The service has not accepted the key yet…',
    given: 'The key is in use. It is that of',
    portfolio: 'Notifications and profit in the portfolio',
    refused: (why: string) => `The service refused the key: ${why}. It is forgotten.`,
    forget: 'Forget the key',
    memory: 'The key stays in the memory of this tab. Nothing stores it, and closing or loading the tab again forgets it.',
  },
  theme: {
    title: 'Theme',
    options: { system: 'System', light: 'Light', dark: 'Dark' },
    stored: 'This browser remembers the choice. System follows the device.',
  },
} as const;
