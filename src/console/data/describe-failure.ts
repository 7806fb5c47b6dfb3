/** What a person is told about a change that failed. */
import type { ApiFailure } from '../api/failure.ts'

export function describeFailure(failure: ApiFailure): { title: string; text: string } {
  if (failure.status === 0) return { title: 'No answer', text: 'The server does not answer. Nothing may have changed.' }
  if (failure.isConflict) {
    const now = failure.currentState ? ` It is ${failure.currentState} now.` : ''
    return { title: 'Changed meanwhile', text: `${failure.message}${now} You see the present state.` }
  }
  if (failure.permission) return { title: 'Not allowed', text: `You lack the permission ${failure.permission}.` }
  // which limit, how much it is and what to do stands in the server's words
  if (failure.isLimit) return { title: 'Limit reached', text: failure.message }
  return { title: 'Not done', text: failure.message }
}
