/** Contents of a revision, in parts. */
import type { ReactNode } from 'react'
import type { AgentContent, AgentTool } from '../../../authoring/agents/content.ts'
import type { AgentRevision } from '../../../authoring/agents/schema.ts'
import { Tag } from '../../ui/badge.tsx'
import { Json } from '../../ui/text/code.tsx'
import './agents.css'

const Part = ({ title, children }: { title: string; children: ReactNode }) => (
  <section className="surface revision-part" aria-label={title}>
    <h3>{title}</h3>
    {children}
  </section>
)

const aboutTool = (tool: AgentTool): string => {
  if (tool.kind === 'operation') return `calls ${tool.operation}`
  if (tool.kind === 'workflow') return `runs the workflow ${tool.workflow}`
  if (tool.kind === 'interactive') return tool.description
  return 'built-in tool'
}

const modelOf = ({ model }: AgentContent): string =>
  [model?.provider ?? 'Platform default', model?.model].filter(Boolean).join(' · ')

export const Instructions = ({ text }: { text: string }) => (
  <Part title="Instructions">
    <div className="revision-instructions">{text}</div>
  </Part>
)

interface RevisionPartsProps {
  revision: AgentRevision
  /** The page lists the tools elsewhere. */
  withoutTools?: boolean
}

/** The contents of a revision except its instructions. */
export function RevisionParts({ revision: { content, grantedOperations }, withoutTools }: RevisionPartsProps) {
  const { tools = [], delegates = [], bindings = [], outputSchema, presentation, maxSteps = 20 } = content
  return (
    <div className="stack">
      <Part title="Model">
        <p>{modelOf(content)}</p>
        <p className="faint">Up to {maxSteps} steps</p>
      </Part>
      {tools.length > 0 && !withoutTools && (
        <Part title="Tools">
          <ul className="revision-list">
            {tools.map((tool) => (
              <li key={tool.name}>
                <span className="row">
                  <code>{tool.name}</code>
                  <Tag>{tool.kind}</Tag>
                </span>
                <p>{aboutTool(tool)}</p>
              </li>
            ))}
          </ul>
        </Part>
      )}
      {delegates.length > 0 && (
        <Part title="Delegates">
          <ul className="revision-list">
            {delegates.map((delegate) => (
              <li key={delegate.name}>
                <span className="row">
                  <code>{delegate.name}</code>
                  {'external' in delegate && <Tag>external</Tag>}
                </span>
                <p>{delegate.description}</p>
              </li>
            ))}
          </ul>
        </Part>
      )}
      {bindings.length > 0 && (
        <Part title="Bindings">
          <ul className="revision-list">
            {bindings.map(({ bindingKey, kind, connectionKind, required }) => (
              <li key={bindingKey}>
                <span className="row">
                  <code>{bindingKey}</code>
                  <Tag>{connectionKind ? `${connectionKind} ${kind}` : kind}</Tag>
                  {required && <Tag>required</Tag>}
                </span>
              </li>
            ))}
          </ul>
        </Part>
      )}
      <Part title="Granted operations">
        {grantedOperations.length === 0 ? (
          <p className="faint">None.</p>
        ) : (
          <span className="row">
            {grantedOperations.map((name) => (
              <Tag key={name}>{name}</Tag>
            ))}
          </span>
        )}
      </Part>
      {presentation && (
        <Part title="Presentation">
          {presentation.displayName && <strong>{presentation.displayName}</strong>}
          {presentation.greeting && <p>{presentation.greeting}</p>}
          <ul className="revision-list">
            {presentation.suggestedQueries?.map((query) => (
              <li key={query}>
                <p>“{query}”</p>
              </li>
            ))}
          </ul>
        </Part>
      )}
      {outputSchema && (
        <Part title="Output">
          <Json label="output schema" value={outputSchema} />
        </Part>
      )}
    </div>
  )
}
