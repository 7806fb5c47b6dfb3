/** `@troupe/sdk/testing`: a real server for tests, what its models are to do, and what became of runs. For Node.js and Bun. */
export { expectJourney, type Journey, JourneyError, type JourneyOptions } from './journey.ts'
export { call, type Direction, fail, flaky, say, script, sleep, tokens } from './script.ts'
export { startTestServer, type TestServer, type TestServerOptions } from './server.ts'
