/** Title and text for a failed mutation. */
import type { ApiFailure } from '../api/failure.ts'

/** The most issues of a plan that one message lists. */
const issuesShown = 3

export function describeFailure(failure: ApiFailure): { title: string; text: string } {
  if (failure.status === 0)
    return { title: 'No response', text: 'The server did not respond. The change may not have been made.' }
  if (failure.isConflict) {
    const now = failure.currentState ? ` It is now ${failure.currentState}.` : ''
    return { title: 'Conflict', text: `${failure.message}${now} The page now shows the current state.` }
  }
  if (failure.permission) return { title: 'Not allowed', text: `You lack the permission ${failure.permission}.` }
  if (failure.code === 'plan_has_issues') {
    const messages = failure.issues.slice(0, issuesShown).map(({ message }) => message)
    return { title: 'Nothing was changed', text: messages.join(' ') }
  }
  // the message names the limit, its value and the remedy
  if (failure.isLimit) return { title: 'Limit reached', text: failure.message }
  return { title: 'Request failed', text: failure.message }
}

/** Why a form asks for an id in place of a choice of these. */
export const whyNoChoice = ({ status, message }: ApiFailure, what: string): string =>
  status === 403 ? `You lack permission to list ${what}.` : `The list of ${what} could not be loaded: ${message}`
