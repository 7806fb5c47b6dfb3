/** The prefix of keys and channels in Redis, which several installations may share. */
import type { Members } from '../members/members.ts'

/** The namespace of a server that does not share its store: its keys contain ids that no other server has. */
export const ownNamespace = 'troupe:'

/** The namespace of servers that share a store. */
export const namespaceOf = ({ isShared, storeId }: Pick<Members, 'isShared' | 'storeId'>): string =>
  isShared ? `troupe:${storeId}:` : ownNamespace
