/** How a session begins, with a password or with an invitation. Source: contract 1, "Session". */

import type { Store, Write } from '../../../storage/store.ts'
import { deleteSession, insertSession } from '../../../storage/tenancy/sessions.ts'
import { hashSecret } from '../../platform/secrets/tokens.ts'
import type { Revocations } from '../authority/revocations.ts'
import type { SessionCredentials } from '../authority/sessions.ts'
import type { Origin } from './origin.ts'

/** A session to be committed. */
export interface Opening {
  writes: Write[]
  /** The `Set-Cookie` header. */
  cookie: string
  csrfToken: string
  /** To be called once it is committed. */
  announce(): Promise<void>
}

export interface OpeningParts {
  store: Store
  sessions: SessionCredentials
  revocations: Revocations
}

/** Opens a session of the user; it takes the place of the one that the browser had, whose token that was. */
export function openSession(
  { store, sessions, revocations }: OpeningParts,
  userId: string,
  earlierToken: string | undefined,
  origin?: Pick<Origin, 'address' | 'userAgent'>,
): Opening {
  const { row, token } = sessions.begin(userId, origin)
  const earlier = earlierToken === undefined ? undefined : hashSecret(earlierToken)
  return {
    writes: [insertSession(store, row), ...(earlier === undefined ? [] : [deleteSession(store, { id: earlier })])],
    cookie: sessions.cookie(token),
    csrfToken: sessions.csrfToken(row.id),
    async announce() {
      if (earlier !== undefined) await revocations.announce({ credentialId: earlier })
    },
  }
}
