/** Idempotency keys of requests. A retry after a lost response sends the same key and gets the first result. */
import { useEffect, useRef } from 'react'
import type { ApiFailure } from '../../../api/failure.ts'

/** Random, also without a secure context. */
function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return `console-${[...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`
}

/** `failure`: of the last request; after a final refusal the next request gets a new key. */
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
    /** Ends the request: the next one gets a new key, even for the same content. */
    settle(): void {
      last.current = undefined
    },
  }
}
