/** The card of an Agent, by which clients of A2A find it. */
import packageJson from '../../../package.json'
import type { ReachedAgent } from '../agents.ts'

const attachments = ['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'application/pdf']

/** `url`: the address of the Agent. */
export function cardOf({ name, address, content }: ReachedAgent, url: string) {
  const { displayName = name, greeting, suggestedQueries = [] } = content.presentation ?? {}
  const description = greeting || `The Agent ${displayName} (${address}).`
  return {
    name: displayName,
    description,
    version: packageJson.version,
    supportedInterfaces: [{ url, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
    capabilities: { streaming: true, pushNotifications: false },
    securitySchemes: { bearer: { httpAuthSecurityScheme: { scheme: 'Bearer' } } },
    securityRequirements: [{ schemes: { bearer: { list: [] } } }],
    defaultInputModes: ['text/plain', 'application/json', ...attachments],
    defaultOutputModes: ['text/plain', 'application/json'],
    skills: [{ id: 'ask', name: displayName, description, tags: ['agent'], examples: suggestedQueries }],
  }
}
