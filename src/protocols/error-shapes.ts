/** The error shape of each protocol. */
import type { ErrorShape } from '../platform/http/answers/answering.ts'
import { a2aErrors } from './a2a/errors.ts'
import { agUiErrors } from './ag-ui/routes.ts'
import { aiSdkErrors } from './ai-sdk/routes.ts'
import { mcpErrors } from './mcp/routes.ts'
import { openaiErrors } from './openai/errors.ts'

export const errorShapes: readonly ErrorShape[] = [openaiErrors, aiSdkErrors, mcpErrors, agUiErrors, a2aErrors]
