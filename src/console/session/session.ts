/** The signed-in user. Source: contract 1, "Session". */
import { createContext, useContext } from 'react'
import type { Api } from '../api/client.ts'

type SessionAnswer = Awaited<ReturnType<Api['auth']['session']['get']>>
/** The session as the API returns it. */
export type Session = NonNullable<SessionAnswer['data']>['data']

export type SessionStatus =
  /** Not loaded yet. */
  | { is: 'unknown' }
  | { is: 'unreachable' }
  | { is: 'signedOut' }
  /** `over`: the session ended while the console was open; the page stays until the user signs in again. */
  | { is: 'signedIn'; session: Session; over: boolean }

interface SignedIn {
  session: Session
  /** Reloads the session after an organization was created, left or renamed. */
  refresh(): Promise<void>
  signOut(): Promise<void>
}

export const SessionContext = createContext<SignedIn | undefined>(undefined)

/** The session; only below the sign-in. */
export function useSession(): SignedIn {
  const signedIn = useContext(SessionContext)
  if (!signedIn) throw new Error('SessionContext is missing')
  return signedIn
}
