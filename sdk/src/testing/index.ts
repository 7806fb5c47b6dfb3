/**
 * `@troupe/sdk/testing`: a real server for tests, scripts for its models, and checks of the states of runs. For Node.js
 * and Bun.
 */
export { expectJourney, type Journey, JourneyError, type JourneyOptions } from './journey.ts'
export { call, type Direction, fail, flaky, say, script, sleep, tokens } from './script.ts'
export { startTestServer, type TestServer, type TestServerOptions } from './server.ts'
