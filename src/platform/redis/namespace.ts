/** The prefix of keys and channels in Redis, which several installations may share. */
import type { Members } from '../members/members.ts'

/** Of a server that has its store to itself: its keys contain ids that no other server has. */
export const ownNamespace = 'troupe:'

/** Of the servers that share a store. */
export const namespaceOf = ({ isShared, storeId }: Pick<Members, 'isShared' | 'storeId'>): string =>
  isShared ? `troupe:${storeId}:` : ownNamespace
