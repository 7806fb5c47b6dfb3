/**
 * Refuses requests without a valid `Host`: their `url` cannot be parsed, which nothing below expects. Source: RFC 9112,
 * 3.2.
 */
import { malformed } from './errors.ts'
import { publicError } from './failure.ts'
import type { Handle } from './head.ts'
import { requestIdOf } from './request-id.ts'
import { responder } from './respond.ts'

/** Wraps the handling of requests. */
export function withHost(publicUrl: string): (handle: Handle) => Handle {
  const respond = responder(publicUrl)
  const refuse = ({ headers }: Request): Response => {
    const { requestId } = requestIdOf(headers.get('x-request-id'))
    const error = malformed('The header Host must be the name of a host, with a port if it is not the default.')
    return respond(publicError(error, requestId), { status: error.status, headers: {} }, requestId) as Response
  }
  return (handle) => (request) => (URL.canParse(request.url) ? handle(request) : refuse(request))
}
