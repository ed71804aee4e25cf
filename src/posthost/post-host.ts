/** A post. `author` is the handle; null if the host does not name the author, like a plain-text proxy. */
export type SocialPost = { readonly author: string | null; readonly text: string };

/** The post could not be read: the proxy fails, times out or sends a malformed answer. The post may or may not exist. */
export class PostHostUnavailable extends Error {}

/** Source of the posts that claim agents: a text proxy, or the embedded post host. */
export interface PostHost {
  /** Reads the post at a URL of the accepted form. null if the host says that it does not exist. */
  read(url: string): Promise<SocialPost | null>;
}
