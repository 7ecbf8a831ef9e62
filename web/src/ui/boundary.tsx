import { Component, type ComponentChildren } from "preact";

/** What cannot be drawn says so, and everything around it stays. It is tried again when there is something else to draw. */
export class Boundary extends Component<
  { children: ComponentChildren; around?: string },
  { error: Error | null }
> {
  state: { error: Error | null } = { error: null };

  static getDerivedStateFromError(error: Error) {
    return { error };
  }

  componentDidCatch(error: Error) {
    console.error(error);
  }

  componentWillReceiveProps() {
    if (this.state.error) this.setState({ error: null });
  }

  render() {
    const { error } = this.state;
    if (!error) return this.props.children;
    return (
      <div class={this.props.around}>
        <div class="failure" role="alert">
          <strong>This part cannot be drawn</strong>
          <span>{error.message}</span>
        </div>
      </div>
    );
  }
}
