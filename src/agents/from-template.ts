/** The Agents of a template, as a new Project gets them: each with revision 1. Source: contract 2, "templateId". */
import type { Store, Write } from '../../storage/store.ts'
import type { Caller } from '../http/caller.ts'
import type { Template } from '../templates/template.ts'

export interface NewProject {
  organizationId: string
  projectId: string
  by: Caller['principal']
  /** Epoch milliseconds. */
  at: number
}

/** The statements that create the template's Agents, to be committed with the Project. */
export const agentsOfTemplate = (_store: Store, _project: NewProject, _template: Template): Write[] => []
