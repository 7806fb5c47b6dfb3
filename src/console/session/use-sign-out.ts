/** Ends the session, from the menu or the palette. */
import { useAction } from '../data/action.ts'
import { useSession } from './session.ts'

export function useSignOut() {
  const { signOut } = useSession()
  return useAction(async () => {
    await signOut()
    return { data: undefined, error: null, status: 204 }
  })
}
