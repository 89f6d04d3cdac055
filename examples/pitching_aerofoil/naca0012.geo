// NACA0012, closed at its trailing edge, in a circle of 25 chords: gmsh -2 naca0012.geo -o fine.msh
DefineConstant[ h = 0.02, growth = 0.08 ];
n = 120;
For k In {0 : n}
  x = (1 - Cos(Pi * k / n)) / 2;
  y = k < n ? 0.6 * (0.2969 * Sqrt(x) - 0.1260 * x - 0.3516 * x^2 + 0.2843 * x^3 - 0.1036 * x^4) : 0;
  Point(1 + k) = {x, y, 0};
  If (k > 0 && k < n)
    Point(1001 + k) = {x, -y, 0};
  EndIf
EndFor
Spline(1) = {1 : n + 1};
Spline(2) = {1, 1002 : 1000 + n, n + 1};
Point(3000) = {0.5, 0, 0};
Point(3001) = {25.5, 0, 0};
Point(3002) = {-24.5, 0, 0};
Circle(3) = {3001, 3000, 3002};
Circle(4) = {3002, 3000, 3001};
Curve Loop(1) = {3, 4};
Curve Loop(2) = {1, -2};
Plane Surface(1) = {1, 2};
Field[1] = Distance;
Field[1].CurvesList = {1, 2};
Field[1].Sampling = 1000;
Field[2] = MathEval;
Field[2].F = Sprintf("%g + %g * F1", h, growth);
Background Field = 2;
Mesh.MeshSizeExtendFromBoundary = 0;
Mesh.MeshSizeFromPoints = 0;
Mesh.Algorithm = 6;
Physical Curve("wing") = {1, 2};
Physical Curve("far") = {3, 4};
Physical Surface("air") = {1};
