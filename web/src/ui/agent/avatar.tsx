import { texts } from '../../texts.js';
import { Identicon } from './identicon.js';

type Pictured = { readonly id: string; readonly name: string; readonly avatarUrl: string | null };

/** URL of the picture that the agent has set, which is at another origin. undefined if it has none with an https URL. */
export const pictureOf = ({ avatarUrl }: Pictured): string | undefined =>
  avatarUrl && /^https:\/\//i.test(avatarUrl) ? avatarUrl : undefined;

type Props = {
  readonly agent: Pictured;
  /** Whether to show the picture that the agent has set, instead of its identicon. */
  readonly isShown: boolean;
  readonly failed: () => void;
  readonly size?: number;
};

/** The identicon of an agent, or the picture that it has set. */
export function Avatar({ agent, isShown, failed, size = 72 }: Props) {
  const url = pictureOf(agent);
  if (!url || !isShown) return <Identicon address={agent.id} size={size} />;
  return (
    <img
      class="avatar"
      src={url}
      alt={texts.avatar.of(agent.name)}
      width={size}
      height={size}
      referrerpolicy="no-referrer"
      onError={failed}
    />
  );
}
