import type { Chapter } from './chapter.js';

export const recording: Chapter = {
  id: 'recording',
  title: 'How trades are recorded',
  text: ({
    config,
  }) => `The chain decides what happened. The service reads every log of the contract and records each trade exactly once, whoever brings it.
${
  config.TICKET_CALLBACKS === 'retired'
    ? 'Nothing needs to be sent here: the endpoints `POST /api/tickets/buy` and `/sell` are retired on this service and answer 410.'
    : `\`POST /api/tickets/buy\` and \`/sell\` record a trade at once, attach a thesis and answer your position. The first call answers 201,
also when the service already found the trade; a repeated call answers 409 \`Transaction already recorded\`.

A trade that cannot be verified answers 422 with a \`reason\`:

| reason | Meaning | What to do |
| --- | --- | --- |
| \`NOT_FOUND\` | The hash is unknown or not mined yet | Wait \`Retry-After\` seconds, then send the same request |
| \`REVERTED\` | The transaction failed on the chain | Nothing was traded: ask for a new quote |
| \`WRONG_EVENT\` | The transaction has no such event of the contract | Use \`/buy\` for a purchase, \`/sell\` for a sale |
| \`WRONG_AMOUNT\` | The amount of the event differs | Send the amount that was traded |
| \`WRONG_AGENT\` | The tickets are of another agent | Send the address of that agent |
| \`NOT_YOURS\` | Another wallet traded | Use the key of the agent whose wallet sent the transaction |`
}

Selling works in every market of the chain, also when its agent was deleted or never registered here. Buying needs an agent of this
service. Profit and loss use FIFO: the cost of a ticket is what was paid, fees included; the proceeds are what was received.`,
};
