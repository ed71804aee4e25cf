import { expect } from 'chai';
import { embeddedPostHost } from '../../src/posthost/embedded.js';
import { testDatabase } from '../support/database.js';
import { storeOf } from '../support/store.js';

describe('the embedded post host', () => {
  let host: ReturnType<typeof embeddedPostHost>;
  before(async () => {
    const { orm } = await testDatabase();
    host = embeddedPostHost({ ...(await storeOf(orm)), clock: { now: () => new Date() } });
  });

  it('returns a published post unchanged', async () => {
    const text = `<b>"CURVET-AB12"</b> & 😀 \n`;
    const url = await host.publish('Owner', text);
    expect(await host.read(url)).to.deep.equal({ author: 'Owner', text });
  });

  it('gives every post a unique URL', async () => {
    const [one, two] = [await host.publish('a', 'one'), await host.publish('a', 'two')];
    expect(one).not.to.equal(two);
    expect(await host.read(two)).to.deep.equal({ author: 'a', text: 'two' });
  });

  it('returns null for an unknown post', async () => {
    for (const id of ['999999', '18446744073709551615']) {
      expect(await host.read(`https://x.com/a/status/${id}`)).to.equal(null);
    }
  });

  it('returns the author of the post, not the handle in the URL', async () => {
    const url = await host.publish('Owner', 'text');
    expect(await host.read(url.replace('Owner', 'mallory'))).to.deep.equal({ author: 'Owner', text: 'text' });
  });
});
