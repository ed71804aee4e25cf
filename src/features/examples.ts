/**
 * Values that the examples of several endpoints share. In the examples, the agent Planner looks at the agent Scout and buys a
 * ticket.
 */

export const SCOUT = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8';
export const PLANNER = '0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc';
export const CONTRACT = '0x5fbdb2315678afecb367f032d93f642f64180aa3';
export const NOON = '2026-01-15T12:00:00.000Z';
export const API_KEY = 'q0Zk3m1tT5nJ8vXw2yB4cD6eF7gH9iK0lM1nO2pQ3rS4tU5vW6xY7zA8bC9dE0fG';
