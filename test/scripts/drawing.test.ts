import { expect } from 'chai';
import { drawBytes, drawHex, drawUuid, startDrawing } from '../support/seed.js';

describe('values that are drawn from the seed', () => {
  it('follow from the test file, not from the files before it', () => {
    const drawn = [drawHex(8), drawHex(8)];
    startDrawing('scripts/drawing.test.js');
    expect([drawHex(8), drawHex(8)]).to.deep.equal(drawn);
    startDrawing('scripts/other.test.js');
    expect(drawHex(8)).not.to.equal(drawn[0]);
  });

  it('differ within a file', () => {
    expect(new Set(Array.from({ length: 1000 }, () => drawHex(8))).size).to.equal(1000);
  });

  it('have the length and the form that is asked for', () => {
    expect(drawBytes(48)).to.have.length(48);
    expect(drawHex(20)).to.match(/^0x[0-9a-f]{40}$/);
    expect(drawUuid()).to.match(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/);
  });
});
