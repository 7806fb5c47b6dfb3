/**
 * Messages between servers that share a store. A message is a hint: it may be lost, come twice or late, and its receiver
 * reads the store.
 */

/** One channel, heard. */
export interface Listening {
  /** Resolves once no message is missed any more; at once while none is heard at all. Never rejects. */
  ready: Promise<void>
  end(): void
}

export interface Bus {
  /** Whether there may be other servers. */
  readonly isShared: boolean
  /** Tells all others who listen. Resolves with how many heard, this server included where it listens. Never rejects. */
  tell(channel: string, message: unknown): Promise<number>
  /** Calls back with what others tell. */
  listen(channel: string, listener: (message: never) => void): Listening
  /** Whether the others are heard now. */
  isHearing(): boolean
  /** Calls back when messages may have been missed, and others are heard again. */
  onceMore(listener: () => void): () => void
  close(): void
}

const nobody = Promise.resolve(0)
const ready = Promise.resolve()

/** Of a server that has its store to itself. */
export const aloneBus: Bus = {
  isShared: false,
  tell: () => nobody,
  listen: () => ({ ready, end() {} }),
  isHearing: () => true,
  onceMore: () => () => {},
  close() {},
}
