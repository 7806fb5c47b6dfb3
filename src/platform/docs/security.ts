/** The credentials that operations name. Source: contract 1, "API key", "Session"; contract 5, "Runner protocol". */

const bearer = (description: string, bearerFormat?: string) => ({
  type: 'http',
  scheme: 'bearer',
  description,
  ...(bearerFormat && { bearerFormat }),
})

/** Under `components.securitySchemes`. */
export const securitySchemes = {
  apiKey: bearer(
    'An API key: `trp_` and 49 letters and digits, valid for one organization or a part of it. The server prints ' +
      'the first one at its first start; `POST /api/v1/api-keys` creates others.',
  ),
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: 'troupe_session',
    description:
      "A user's session, as used by the console: `POST /api/auth/sessions` sets the cookie. Over https its name is `__Host-troupe_session`.",
  },
  csrfToken: {
    type: 'apiKey',
    in: 'header',
    name: 'X-CSRF-Token',
    description: "The session's token, `csrfToken` of `GET /api/auth/session`. Required for changes by a session.",
  },
  runnerToken: bearer(
    'A token of a runner pool: `trr_` and 49 letters and digits, or the value of `TROUPE_RUNNER_TOKEN`.',
  ),
  attemptToken: bearer('The token of one attempt, issued with its lease.', 'JWT'),
  attemptHeader: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Troupe-Attempt',
    description: 'The token of the attempt that an API key reports for, sent with the key in place of `attemptToken`.',
  },
}
