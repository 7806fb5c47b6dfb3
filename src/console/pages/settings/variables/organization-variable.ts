/** Type of an organization variable. */
export interface OrganizationVariable {
  id: string
  name: string
  description: string | null
  status: 'active' | 'disabled'
}
