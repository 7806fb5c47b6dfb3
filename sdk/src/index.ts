/** `@troupe/sdk`: a client of Troupe, for Node.js, Bun and browsers. */
export {
  ApiError,
  AuthenticationError,
  BadRequestError,
  BudgetError,
  ConflictError,
  ConnectionError,
  type Issue,
  NotFoundError,
  PermissionError,
  RateLimitError,
  RunError,
  ServerError,
  TroupeError,
  ValidationError,
} from './client/errors.ts'
export type { List, Page } from './client/list.ts'
export type { Fetch, RequestOptions, TroupeOptions } from './client/options.ts'
export type { StreamEvent } from './client/stream-event.ts'
export {
  type AgentDefinition,
  type AgentOptions,
  type Delegate,
  defineAgent,
  type InteractiveTool,
  interactive,
  type WorkflowTool,
} from './define/agent.ts'
export type {
  AgentManifest,
  ConnectionManifest,
  DefinitionManifest,
  EnvironmentKind,
  EnvironmentManifest,
  JobManifest,
  Manifest,
  ModelManifest,
  VariableManifest,
} from './define/manifest.ts'
export { cutDocument, type DocumentedOperation, operationsOfDocument } from './define/openapi.ts'
export {
  defineOperations,
  type OperationDefinition,
  type OperationInput,
  type OperationReference,
  type OperationsDefinition,
  operation,
} from './define/operations.ts'
export type { Placeholder } from './define/placeholders.ts'
export { defineProject, ManifestError, type ProjectOptions } from './define/project.ts'
export type * from './generated/resources.ts'
export type * from './generated/schemas.ts'
export type { ToolCall, ToolHandler, ToolHandlers } from './runs/answering.ts'
export type { Awaiting, RunEvent, RunEventData, RunEventType, RunSnapshot, StepDelta } from './runs/events.ts'
export { type EventsInput, Run, type RunOutput } from './runs/run.ts'
export type { FollowLogsInput, Runs, StartInput, WhichAgent } from './runs/runs.ts'
export type { InferJson, JsonSchema } from './schemas/json-schema.ts'
export type { AnySchema, Infer } from './schemas/schema.ts'
export { type InferOutput, InvalidValueError, type StandardSchema } from './schemas/standard.ts'
export { Troupe } from './troupe.ts'
export { type VerifyOptions, type WebhookHeaders, WebhookVerificationError } from './webhooks/verify.ts'
export type { WorkerPlace } from './workers/place.ts'
export { RetryLater, type Worker, type WorkerCall, type WorkerHandler, type WorkerOptions } from './workers/worker.ts'
