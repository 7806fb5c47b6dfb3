/** The templates that come with this version of the server. */
import type { Template } from './template.ts'

export const templates: readonly Template[] = []

export const findTemplate = (id: string): Template | undefined => templates.find((template) => template.id === id)
