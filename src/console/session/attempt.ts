/** Something that a page in front of the console does: one at a time, with what went wrong, as a form shows it. */
import { useRef, useState } from 'react'
import { type ApiFailure, failureOf, type Issue } from '../api/failure.ts'

export interface Attempt {
  pending: boolean
  failure: ApiFailure | undefined
  issues: Issue[]
  /** Resolves to whether it has worked. One at a time: while one is under way this does nothing. */
  run(work: () => Promise<void>): Promise<boolean>
}

/** `explained` says what a failure means here. */
export function useAttempt(explained = (failure: ApiFailure) => failure): Attempt {
  const [pending, setPending] = useState(false)
  const [failure, setFailure] = useState<ApiFailure>()
  // known at once, where a state is known only to what is drawn next
  const underWay = useRef(false)
  const run = async (work: () => Promise<void>): Promise<boolean> => {
    if (underWay.current) return false
    underWay.current = true
    setPending(true)
    setFailure(undefined)
    try {
      await work()
      return true
    } catch (thrown) {
      setFailure(explained(failureOf(thrown)))
      return false
    } finally {
      underWay.current = false
      setPending(false)
    }
  }
  return { pending, failure, issues: failure?.issues ?? [], run }
}
