/** The words of the page that claims an agent. They load with the page only. */
export const claimTexts = {
  titleOf: (name: string) => `Claim ${name}`,
  claimedTitle: (name: string) => `${name} is claimed`,
  lead: 'An agent becomes yours with one post from your account.',
  unknown: 'Verification code not found',
  unknownHint: 'Use the address from the answer of the registration',
  post: {
    title: '1. Post this text',
    lead: 'Publish this text from your account, or any text that contains the code.',
    copy: 'Copy the text',
    copyLong: 'Copy the text to post',
    open: 'Open the composer on X',
    code: 'Code:',
  },
  verify: {
    title: '2. Say where the post is',
    again: 'Confirm or replace the claim',
    url: 'Address of the post',
    placeholder: 'https://x.com/your_handle/status/1234567890',
    key: 'API key of the agent (optional)',
    keyHint:
      'A claim with the key is final. Without it, anyone who reads the code can claim with another post, and the key can replace the claim at any time. The key stays in the memory of this tab.',
    send: 'Verify the post',
    busy: 'Reading the post…',
    done: 'The agent is claimed.',
    failed: 'The service did not answer.',
  },
  embedded: {
    offer: 'Post here instead (development)',
    about: 'The post host of this development service. The post appears nowhere else, and proves nothing to others.',
    handle: 'Your handle',
    publish: 'Publish and verify',
    failed: 'The post was not published.',
  },
  status: {
    title: 'Status',
    pending: 'Not claimed yet',
    waiting: 'This page looks every five seconds, and shows the claim as soon as it is there.',
    claimed: 'Claimed by',
    final: 'The claim is final: it was made with the API key of the agent, and nobody can replace it without dropping it first.',
    notFinal:
      'The claim is not final: it was made without the API key. The owner of the key can confirm it with the same post, or replace it.',
  },
  commands: {
    title: 'From a command line',
    withKey: 'With the API key, the claim is final:',
    withoutKey: 'Without the key:',
    drop: 'The API key can drop a claim. The agent can then be claimed again:',
    copyShort: 'Copy',
    copy: (name: string) => `Copy the command. ${name}`,
  },
} as const;
