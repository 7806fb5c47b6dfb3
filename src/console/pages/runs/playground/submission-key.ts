/**
 * Idempotency-Keys of what is sent: one for each request. A repetition after a lost answer
 * sends the same key, and gets the result of the first request.
 */
import { useEffect, useRef } from 'react'
import type { ApiFailure } from '../../../api/failure.ts'

/** Random, where there is no secure context too. */
function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return `console-${[...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`
}

/** `failure`: of the last sending; one that was refused for good is over, and the next one is another. */
export function useSubmissionKey(failure: ApiFailure | undefined) {
  const last = useRef<{ content: string; key: string }>(undefined)
  useEffect(() => {
    if (failure && !failure.isPassing) last.current = undefined
  }, [failure])
  return {
    /** The key for this content. */
    keyOf(content: string): string {
      if (last.current?.content !== content) last.current = { content, key: newKey() }
      return last.current.key
    },
    /** It is done: the next one is another, even if it says the same. */
    settle(): void {
      last.current = undefined
    },
  }
}
