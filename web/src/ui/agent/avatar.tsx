import { useState } from 'preact/hooks';
import { texts } from '../../texts.js';
import { Identicon } from './identicon.js';

type Props = {
  readonly address: string;
  /** Picture of the agent at another origin. */
  readonly url: string | null;
  readonly name: string;
  readonly size?: number;
};

/**
 * The identicon of an agent. The agent's own picture is loaded only after a click: its host would learn the reader's
 * address.
 */
export function Avatar({ address, url, name, size = 72 }: Props) {
  const [shown, setShown] = useState<'no' | 'yes' | 'failed'>('no');
  const safe = url && /^https:\/\//i.test(url) ? url : null;
  if (safe && shown === 'yes') {
    return (
      <img
        class="avatar"
        src={safe}
        alt={texts.avatar.of(name)}
        width={size}
        height={size}
        referrerpolicy="no-referrer"
        onError={() => setShown('failed')}
      />
    );
  }
  return (
    <span class="avatar-box">
      <Identicon address={address} size={size} />
      {safe && (
        <button type="button" class="show-picture" disabled={shown === 'failed'} onClick={() => setShown('yes')}>
          {shown === 'failed' ? texts.avatar.failed : texts.avatar.show}
        </button>
      )}
    </span>
  );
}
