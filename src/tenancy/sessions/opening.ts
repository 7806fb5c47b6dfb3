/** Opens sessions, with a password or an invitation. Source: contract 1, "Session". */

import type { Store, Write } from '../../../storage/store.ts'
import { beginAfterEnds, deleteSession, insertSession } from '../../../storage/tenancy/sessions.ts'
import { hashSecret } from '../../platform/secrets/tokens.ts'
import type { Revocations } from '../authority/revocations.ts'
import type { SessionCredentials } from '../authority/sessions.ts'
import type { Origin } from './origin.ts'

/** A session to commit. */
interface Opening {
  writes: Write[]
  /** The `Set-Cookie` header. */
  cookie: string
  csrfToken: string
  /** Called after the commit. */
  announce(): Promise<void>
}

export interface OpeningParts {
  store: Store
  sessions: SessionCredentials
  revocations: Revocations
}

/** Opens a session of the user, replacing the browser's earlier session, given by its token. */
export function openSession(
  { store, sessions, revocations }: OpeningParts,
  userId: string,
  earlierToken: string | undefined,
  origin?: Pick<Origin, 'address' | 'userAgent'>,
): Opening {
  const { row, token } = sessions.begin(userId, origin)
  const earlier = earlierToken === undefined ? undefined : hashSecret(earlierToken)
  return {
    writes: [
      insertSession(store, row),
      beginAfterEnds(store, { id: row.id, userId }),
      ...(earlier === undefined ? [] : [deleteSession(store, { id: earlier })]),
    ],
    cookie: sessions.cookie(token),
    csrfToken: sessions.csrfToken(row.id),
    async announce() {
      if (earlier !== undefined) await revocations.announce({ credentialId: earlier })
    },
  }
}
