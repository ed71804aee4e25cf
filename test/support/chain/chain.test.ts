import { expect } from 'chai';
import { START } from '../clock.js';
import { useWorld } from '../world.js';

describe('the time of a world', () => {
  const world = useWorld();
  const head = async () => new Date(((await world.chain.provider.getBlock('latest'))?.timestamp ?? 0) * 1000);
  const mine = (blocks: number) => world.chain.provider.send('anvil_mine', [`0x${blocks.toString(16)}`]);
  const START_SECOND = new Date('2026-11-20T12:10:20Z');

  it('is the same in every run, and stands still', async () => {
    expect(world.clock.now()).to.deep.equal(START);
    expect(await head()).to.deep.equal(START_SECOND);
    expect(await world.chain.provider.getBlockNumber()).to.equal(1);
    await mine(3);
    expect(await head()).to.deep.equal(START_SECOND);
    expect(world.clock.now()).to.deep.equal(START);
  });

  it('moves the blocks of the chain, several in a row', async () => {
    world.clock.advance(90_000);
    await mine(1);
    expect(await head()).to.deep.equal(new Date('2026-11-20T12:11:50Z'));
    await world.chain.faucet('0x00000000000000000000000000000000000000aa');
    await mine(2);
    expect(await head()).to.deep.equal(new Date('2026-11-20T12:11:50Z'));
    world.clock.advance(750);
    await mine(1);
    expect(await head()).to.deep.equal(new Date('2026-11-20T12:11:51Z'));
  });

  it('does not move the blocks back', async () => {
    const later = START.getTime() / 1000 + 3600;
    await world.chain.provider.send('evm_setNextBlockTimestamp', [Math.floor(later)]);
    await mine(1);
    world.clock.advance(10_000);
    await mine(1);
    expect(await head()).to.deep.equal(new Date('2026-11-20T13:10:20Z'));
  });

  it('starts again with the chain', async () => {
    await world.chain.reset();
    expect(world.clock.now()).to.deep.equal(START);
    await mine(2);
    expect(await head()).to.deep.equal(START_SECOND);
  });

  it('is the real time for processes of the service', async () => {
    await world.chain.resetToRealTime();
    await mine(2);
    expect((await head()).getTime()).to.be.greaterThan(START.getTime() + 3_600_000);
    await world.chain.reset();
    await mine(2);
    expect(await head()).to.deep.equal(START_SECOND);
  });
});
