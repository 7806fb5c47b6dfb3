/** Consent to the API key that cancels runs. It is requested once per session and lasts as long as the tab. */
import { useState } from 'react'
import { useSession } from '../../../../session/session.ts'

const stored = 'troupe.cancel-key'
/** Fallback without storage. */
let inMemory: string | undefined

function whoConsented(): string | undefined {
  try {
    return sessionStorage.getItem(stored) ?? undefined
  } catch {
    return inMemory
  }
}

export function useConsent(): { given: boolean; give(): void } {
  const { session } = useSession()
  const { id } = session.user
  const [given, setGiven] = useState(() => whoConsented() === id)
  return {
    given: given || whoConsented() === id,
    give() {
      try {
        sessionStorage.setItem(stored, id)
      } catch {
        inMemory = id
      }
      setGiven(true)
    },
  }
}
