/** For clients that show only the message of an error. */
import type { ApiError, Issue } from '../platform/http/answers/errors.ts'

/** The message with the place and the message of the first problem, if it has one. */
export function withFirstIssue({ message, details }: ApiError): string {
  const [issue] = (details?.issues ?? []) as Issue[]
  return issue && issue.message !== message ? `${message} ${issue.path}: ${issue.message}` : message
}
