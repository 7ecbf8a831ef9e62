import { Component, type ComponentChildren } from "preact";

/** An error boundary: shows a message in place of a part that fails to render, and tries again when its input changes. */
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
          <strong>This part could not be displayed</strong>
          <span>{error.message}</span>
        </div>
      </div>
    );
  }
}
