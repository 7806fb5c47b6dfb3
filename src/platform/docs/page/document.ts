/** The parts of the API document that its page shows. */
import type { ApiDocument } from '../document.ts'

export interface Schema {
  $ref?: string
  type?: string | string[]
  description?: string
  enum?: unknown[]
  const?: unknown
  default?: unknown
  format?: string
  pattern?: string
  required?: string[]
  properties?: Record<string, Schema>
  additionalProperties?: Schema | boolean
  patternProperties?: Record<string, Schema>
  items?: Schema
  contentSchema?: Schema
  anyOf?: Schema[]
  oneOf?: Schema[]
  allOf?: Schema[]
  [bound: string]: unknown
}

export interface Parameter {
  $ref?: string
  name: string
  in: 'path' | 'query' | 'header' | 'cookie'
  required?: boolean
  description?: string
  schema: Schema
}

type Content = Record<string, { schema?: Schema; example?: unknown }>

export interface Answer {
  $ref?: string
  description: string
  content?: Content
}

interface Operation {
  operationId: string
  summary?: string
  description?: string
  tags: string[]
  security?: Record<string, string[]>[]
  parameters?: Parameter[]
  requestBody?: { required?: boolean; description?: string; content: Content }
  responses: Record<string, Answer>
}

export interface PageDocument {
  info: { title: string; version: string; summary: string; description: string }
  servers: { url: string }[]
  tags: { name: string; description: string }[]
  'x-tagGroups': { name: string; tags: string[] }[]
  paths: Record<string, Record<string, Operation>>
  components: {
    schemas: Record<string, Schema>
    parameters: Record<string, Parameter>
    responses: Record<string, Answer>
    securitySchemes: Record<string, { description: string }>
  }
}

/** `apiDocument` always makes these parts. */
export const pageDocument = (document: ApiDocument) => document as unknown as PageDocument

/** The name in a reference: `#/components/schemas/AgentRun` is `AgentRun`. */
export const nameOf = (reference: string): string => reference.slice(reference.lastIndexOf('/') + 1)

/** An operation with its path and method. */
export interface Placed {
  method: string
  path: string
  operation: Operation
}

/** The operations of a chapter, in the document's order, without HEAD. */
export const operationsOf = ({ paths }: PageDocument, tag: string): Placed[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([method, { tags }]) => method !== 'head' && tags.includes(tag))
      .map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  )
