/** A variable of the organization, as its pages show it. */
export interface OrganizationVariable {
  id: string
  name: string
  description: string | null
  status: 'active' | 'disabled'
}
