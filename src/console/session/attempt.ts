/** Something that a page in front of the console does: one at a time, with what went wrong, as a form shows it. */
import { useState } from 'react'
import { type ApiFailure, failureOf, type Issue } from '../api/failure.ts'

export interface Attempt {
  pending: boolean
  failure: ApiFailure | undefined
  issues: Issue[]
  /** Resolves to whether it has worked. */
  run(work: () => Promise<void>): Promise<boolean>
}

export function useAttempt(): Attempt {
  const [pending, setPending] = useState(false)
  const [failure, setFailure] = useState<ApiFailure>()
  const run = async (work: () => Promise<void>): Promise<boolean> => {
    if (pending) return false
    setPending(true)
    setFailure(undefined)
    try {
      await work()
      return true
    } catch (thrown) {
      setFailure(failureOf(thrown))
      return false
    } finally {
      setPending(false)
    }
  }
  return { pending, failure, issues: failure?.issues ?? [], run }
}
