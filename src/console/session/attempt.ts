/** One action of an entrance page, with its failure for the form. */
import { useRef, useState } from 'react'
import { type ApiFailure, failureOf, type Issue } from '../api/failure.ts'

interface Attempt {
  pending: boolean
  failure: ApiFailure | undefined
  issues: Issue[]
  /** Resolves to whether it succeeded. Does nothing while one is pending. */
  run(work: () => Promise<void>): Promise<boolean>
}

/** `explained` rewords a failure for this page. */
export function useAttempt(explained = (failure: ApiFailure) => failure): Attempt {
  const [pending, setPending] = useState(false)
  const [failure, setFailure] = useState<ApiFailure>()
  // a ref: state updates only on the next render
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
