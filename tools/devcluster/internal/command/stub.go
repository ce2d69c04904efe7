package command
import "context"
const superviseCommand = "supervise"
func up(ctx context.Context, args []string) error { return nil }
func down(ctx context.Context, args []string) error { return nil }
func status(ctx context.Context, args []string) (int,error) { return 0,nil }
func apiServer(ctx context.Context, args []string) error { return nil }
func supervise(ctx context.Context, args []string) error { return nil }
