/** Who is signed in. Source: contract 1, "Session". */
import { createContext, useContext } from 'react'
import type { Api } from '../api/client.ts'

type SessionAnswer = Awaited<ReturnType<Api['auth']['session']['get']>>
/** The session as the API answers it. */
export type Session = NonNullable<SessionAnswer['data']>['data']

export type SessionStatus =
  /** Not known yet. */
  | { is: 'unknown' }
  | { is: 'unreachable' }
  | { is: 'signedOut' }
  /** `over`: it has ended while the console was open; what is on the screen stays until the user signs in again. */
  | { is: 'signedIn'; session: Session; over: boolean }

export interface SignedIn {
  session: Session
  /** Reads the session again: after an organization was made, left or renamed. */
  refresh(): Promise<void>
  signOut(): Promise<void>
}

export const SessionContext = createContext<SignedIn | undefined>(undefined)

/** The session; only below the sign-in. */
export function useSession(): SignedIn {
  const signedIn = useContext(SessionContext)
  if (!signedIn) throw new Error('no user is signed in here')
  return signedIn
}
