/** The shapes of an Agent's tools, and of a single call. */
import { type Static, Type } from '@sinclair/typebox'
import { AgentInEnvironmentPath } from '../../platform/http/paths.ts'
import { nullable, oneOf } from '../../platform/http/schema.ts'

/** `{P}/agents/:agentId/tools/:tool/call` */
export const ToolPath = Type.Object({
  ...AgentInEnvironmentPath.properties,
  tool: Type.String({ minLength: 1, maxLength: 64, description: 'The name of the tool.', examples: ['calculator'] }),
})
export type ToolPath = Static<typeof ToolPath>

const schema = (description: string) => Type.Object({}, { additionalProperties: true, description })

export const DeployedTools = Type.Object(
  {
    items: Type.Array(
      Type.Object({
        name: Type.String({ description: "The model's name for it.", examples: ['look_up_order'] }),
        kind: oneOf(['operation', 'workflow', 'interactive', 'builtin'], {
          description: 'The user on whose behalf its calls are made.',
        }),
        description: Type.String({ description: 'Its description for the model.' }),
        inputSchema: schema('Its input.'),
        operation: nullable(Type.String({ description: 'The operation that it calls: `<definition>.<operation>`.' })),
        workflow: nullable(Type.String({ description: 'The workflow that it runs.' })),
      }),
    ),
  },
  { $id: 'DeployedTools', description: 'The tools of an Agent, as its model gets them.' },
)
export type DeployedTool = Static<typeof DeployedTools>['items'][number]

export const ToolCallBody = Type.Object(
  { input: Type.Unknown({ description: 'The input, by the `inputSchema` of the tool.' }) },
  { $id: 'NewToolCall', additionalProperties: false, description: 'A call of a tool.' },
)
export type ToolCallBody = Static<typeof ToolCallBody>

export const ToolCall = Type.Object(
  {
    outcome: oneOf(['output', 'error', 'awaits_answer'], {
      description:
        '`awaits_answer`: a run would wait here until its client continues it with the result, any JSON value.',
    }),
    output: Type.Unknown({ description: 'The result that the model would get; null unless the outcome is `output`.' }),
    error: nullable(
      Type.Object(
        { code: Type.String({ examples: ['tool_error'] }), message: Type.String() },
        { description: 'The answer that the model would get.' },
      ),
    ),
  },
  { $id: 'ToolCall', description: 'What came of a call.' },
)
export type ToolCall = Static<typeof ToolCall>
