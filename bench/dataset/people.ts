import { createHash } from 'node:crypto';

const ADJECTIVES = `Amber Azure Bold Brave Brisk Calm Civic Clear Coral Crisp Dapper Deft Eager Early Fancy Fleet Frank Gentle
  Giant Glad Grand Happy Hazel Humble Ivory Jolly Keen Kind Lucid Lucky Merry Mint Noble Olive Proud Quick Quiet Rapid Royal
  Silver`
  .split(/\s+/)
  .map((word) => word.slice(0, 5));
const ANIMALS = `Ant Ape Bear Bee Boar Bison Cat Cobra Crane Crow Deer Dove Duck Eagle Eel Elk Emu Finch Fox Frog Gecko
  Goat Goose Hare Hawk Heron Horse Koala Lion Lynx Mole Moose Moth Mouse Newt Otter Owl Panda Raven Seal`.split(/\s+/);

const sha = (text: string) => createHash('sha256').update(text);

/** Wallet address of an agent or trader, by its number. */
export const walletOf = (number: number): string => `0x${sha(`wallet ${number}`).digest('hex').slice(0, 40)}`;

/** API key of an agent, derived from its number, so that benchmarks can send it. It is valid in the benchmark databases only. */
export const keyOf = (number: number): string => `bench-${String(number).padStart(58, '0')}`;

/** Unique name, short enough for the contract: adjective, animal, number. */
export function nameOf(number: number): string {
  const adjective = ADJECTIVES[number % ADJECTIVES.length];
  const animal = ANIMALS[Math.floor(number / ADJECTIVES.length) % ANIMALS.length];
  return `${adjective} ${animal} ${1 + Math.floor(number / (ADJECTIVES.length * ANIMALS.length))}`;
}

export const codeOf = (number: number): string => `CURVET-${number.toString(36).toUpperCase().padStart(4, '0')}`;

/** Place of an agent in the order of registration, independent of popularity. A bijection unless 7919 divides `agents`. */
export const ageRank = (number: number, agents: number): number => (number * 7919 + 13) % agents;
