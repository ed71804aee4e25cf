/** A post as the host gives it. `author` is null where the host names none (a plain-text proxy). */
export type Post = { readonly author: string | null; readonly text: string };

/** The post could not be read now: the proxy fails, is slow, or answers nonsense. Nothing is known about the post. */
export class PostHostUnavailable extends Error {}

/** Where verification posts are read: a text proxy, or the embedded post host. */
export interface PostHost {
  /** The post behind a URL of the accepted form; null if the host says that there is none. */
  read(url: string): Promise<Post | null>;
}
